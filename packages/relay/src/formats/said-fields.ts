type Fields = Readonly<Record<string, unknown>>;

/** The fields that have a value. */
export function said(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Names the fields that have a value: the dialect has no place for them. */
export function dropSaid(fields: Fields, dropped: string[], prefix = ''): void {
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) dropped.push(`${prefix}${name}`);
}
