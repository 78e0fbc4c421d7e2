/** Those that differ: what is not sent stays as it is, also where somebody else has changed it meanwhile. */
export function changedValues<Values extends object>(before: Values, after: Values): Partial<Values> {
  const changed: Partial<Values> = { ...after };
  for (const name in after)
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) delete changed[name];
  return changed;
}
