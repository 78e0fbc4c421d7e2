/** Maximum characters, because a page of text would take seconds to match against tables of patterns. */
const LENGTH_MAX = 200;

/**
 * Returns a model's name at its vendor in normalized form, for tables of model families: in lower case, and for a
 * fine-tuned model (`ft:gpt-4o-2024-08-06:team::id`) its base model.
 */
export function familyName(model: string): string {
  const name = model.slice(0, LENGTH_MAX).toLowerCase();
  return /^ft:([^:]+)/.exec(name)?.[1] ?? name;
}

const claudeVersion = /claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)/;

/**
 * Returns the name of a Claude model in Anthropic's spelling since version 4. Gateways write `claude-opus-4.6` or
 * `claude-4.5-sonnet`.
 */
export function claudeName(model: string): string {
  const dashed = familyName(model).replace(/(\d)\.(?=\d)/g, '$1-');
  return dashed.replace(claudeVersion, (_name, major: string, minor: string | undefined, family: string) =>
    ['claude', family, major, ...(minor === undefined ? [] : [minor])].join('-'),
  );
}
