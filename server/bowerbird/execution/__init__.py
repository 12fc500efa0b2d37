"""Programs are checked, and run where the user allows it; what checkers say is feedback."""
