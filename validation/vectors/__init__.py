"""Test vectors that any language reads, certificates, and the one file that checks them."""
