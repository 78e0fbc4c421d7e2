/** Parses `a[b][0]=c` to nested objects. */
export interface StripeForm {
  [name: string]: StripeForm | string | undefined;
}

export function parseStripeForm(encoded: URLSearchParams): StripeForm {
  const form: StripeForm = {};
  for (const [path, value] of encoded) {
    const names = path.split(/[[\]]+/).filter((name) => name !== '');
    let node = form;
    for (const name of names.slice(0, -1)) {
      const next = node[name];
      const inner: StripeForm = typeof next === 'object' ? next : {};
      node[name] = inner;
      node = inner;
    }
    node[names.at(-1) ?? ''] = value;
  }
  return form;
}

/** Returns the text at a path; empty if there is none. */
export function getText(form: StripeForm, path: string): string {
  const value = path
    .split('.')
    .reduce<StripeForm | string | undefined>((node, name) => (typeof node === 'object' ? node[name] : undefined), form);
  return typeof value === 'string' ? value : '';
}
