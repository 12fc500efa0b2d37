print(total(items<cursor>
