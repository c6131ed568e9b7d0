print(1e-8, 5.0e-4)  # λ of SDP_Kim: in section 5.1, in the row of Table 5
