/** Parses `a[b][0]=c` to nested objects. */
export interface StripeForm {
  [name: string]: StripeForm | string | undefined;
}

export function parseStripeForm(encoded: URLSearchParams): StripeForm {
  const form: StripeForm = {};
  for (const [path, value] of encoded) {
    const names = path.split(/[[\]]+/).filter((name) => name !== '');
    let place = form;
    for (const name of names.slice(0, -1)) {
      const next = place[name];
      const inner: StripeForm = typeof next === 'object' ? next : {};
      place[name] = inner;
      place = inner;
    }
    place[names.at(-1) ?? ''] = value;
  }
  return form;
}

/** Returns the text at a path; empty if there is none. */
export function getText(form: StripeForm, path: string): string {
  const value = path
    .split('.')
    .reduce<StripeForm | string | undefined>(
      (place, name) => (typeof place === 'object' ? place[name] : undefined),
      form,
    );
  return typeof value === 'string' ? value : '';
}
