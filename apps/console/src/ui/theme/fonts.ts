/** Font for keys, ids, models and JSON. */
export const monoFont = '"Roboto Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, monospace';
