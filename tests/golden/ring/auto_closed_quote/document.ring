see "<cursor>"
