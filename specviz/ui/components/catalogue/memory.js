// Pure: what a pair needs in memory, and how its bar is divided.

// Bytes of both models in a precision with the keys and values of one text; the context is cut to what both know.
function needOf(row, dtype, context) {
  const { target, draft } = row.memory[dtype], kv = row.kv[dtype] * Math.min(context, row.most);
  return { target, draft, kv, total: target + draft + kv };
}

// Shares of the bar's width. What fits stands in a bar as long as what is free; what does not is the whole bar, with a
// mark at the place where the memory ends.
function barOf(need, free) {
  const whole = Math.max(need.total, free), share = (bytes) => bytes / whole;
  return { target: share(need.target), draft: share(need.draft), kv: share(need.kv), end: share(free), fits: need.total <= free };
}
