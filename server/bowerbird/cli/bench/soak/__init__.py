"""`bowerbird bench soak`: does a server that works for long stay as small as it was?"""
