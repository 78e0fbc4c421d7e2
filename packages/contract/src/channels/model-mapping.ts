/** Rules for a channel's list of models and its mapping, shared by the gateway, quotes and the editor's preview. */

export interface ModelNames {
  /** The model's name at the vendor. */
  upstreamModel: string;
  /** Name of the model in the price list. */
  billedModel: string;
}

/**
 * Returns the names that a channel uses for a requested model. An entry with the exact name takes precedence, then
 * the longest `prefix*` that matches; a `*` at the end of its value stands for the rest of the name. A value that
 * begins with `+` is sent without it, and the requested name is billed.
 */
export function resolveModelNames(mapping: Readonly<Record<string, string>>, model: string): ModelNames {
  const mapped = findExact(mapping, model) ?? findByPrefix(mapping, model) ?? model;
  return mapped.startsWith('+')
    ? { upstreamModel: mapped.slice(1), billedModel: model }
    : { upstreamModel: mapped, billedModel: mapped };
}

/** Returns whether a list of models, in which a `*` may stand at a name's end, contains the model. */
export function offersModel(models: readonly string[], model: string): boolean {
  return models.some((offered) => (offered.endsWith('*') ? model.startsWith(offered.slice(0, -1)) : offered === model));
}

/** Returns the mapping's own entry only: clients choose the name, and `constructor` is one. */
function findExact(mapping: Readonly<Record<string, string>>, model: string): string | undefined {
  return Object.hasOwn(mapping, model) ? mapping[model] : undefined;
}

function findByPrefix(mapping: Readonly<Record<string, string>>, model: string): string | undefined {
  let longest: string | undefined;
  for (const name of Object.keys(mapping)) {
    const matches = name.endsWith('*') && model.startsWith(name.slice(0, -1));
    if (matches && (longest === undefined || name.length > longest.length)) longest = name;
  }
  if (longest === undefined) return undefined;
  const value = mapping[longest];
  return value?.endsWith('*') === true ? value.slice(0, -1) + model.slice(longest.length - 1) : value;
}
