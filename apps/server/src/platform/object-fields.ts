/** Returns the defined fields, for an update that leaves the others unchanged. */
export function omitUndefinedFields<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** Returns the named fields, for an object that has them under the same names. */
export function pickFields<T, K extends keyof T>(values: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as never;
}
