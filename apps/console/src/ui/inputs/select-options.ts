/** Choice of a filter or a form. */
export interface Option<Value extends string = string> {
  value: Value;
  label: string;
}

/** Returns values as options, labelled with the values themselves unless `labelOf` names them. */
export function toOptions<Value extends string>(
  values: readonly Value[],
  labelOf: (value: Value) => string = (value) => value,
): Option<Value>[] {
  return values.map((value) => ({ value, label: labelOf(value) }));
}
