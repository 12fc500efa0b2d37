const text = `total: ${<cursor>}`;
