items.forEach((item) => {<cursor>});
