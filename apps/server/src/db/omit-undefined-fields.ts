/** Returns the defined fields, for an update that leaves the others unchanged. */
export function omitUndefinedFields<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
