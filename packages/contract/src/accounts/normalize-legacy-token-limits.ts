/**
 * Limits of a new token as clients of One API (`models`, `subnet`) and New API (`model_limits`, `allow_ips`) send them.
 * https://docs.newapi.pro/api and https://github.com/songquanpeng/one-api
 */
import { z } from 'zod';

/** One more than a token may have. */
const NAMES_READ = 501;

/** One check of the whole list: with one for each item, 30,000 wrong ones took a tenth of a second. */
const texts = z.custom<string[]>((value) => Array.isArray(value) && value.every((item) => typeof item === 'string'));
const names = z.union([z.string(), texts, z.null()]).optional();
const otherFields = z.looseObject({
  models: names,
  model_limits: names,
  model_limits_enabled: z.boolean().nullish(),
  allow_ips: names,
  subnet: names,
  /** New API tries the groups that follow; here `backup_group` names one. */
  cross_group_retry: z.literal(false).nullish(),
});

/**
 * Translates these limits into `setting.limits`. Leaves a body unchanged if it has its own `setting`, or if a field
 * has another form, so that validation refuses the field by its name.
 */
export function normalizeTokenFields(body: unknown): unknown {
  const read = otherFields.safeParse(body);
  if (!read.success) return body;
  const { models, model_limits, model_limits_enabled, allow_ips, subnet, cross_group_retry: _off, ...own } = read.data;
  const allowed = [...splitNames(models), ...(model_limits_enabled === false ? [] : splitNames(model_limits))];
  const addresses = [...splitNames(allow_ips), ...splitNames(subnet)];
  const isLimited = allowed.length > 0 || model_limits_enabled === true || addresses.length > 0;
  if (!isLimited) return own;
  if (own['setting'] !== undefined) return body;
  const limits = {
    // Without a name nothing is allowed, as in New API.
    limit_model_setting: { enabled: allowed.length > 0 || model_limits_enabled === true, models: allowed },
    limits_ip_setting: { enabled: addresses.length > 0, whitelist: addresses },
  };
  return { ...own, setting: { limits } };
}

/**
 * Returns the names between commas, white space or lines, at most one more than a token may have, so that validation
 * refuses too many. Blanks don't count: they could otherwise displace the names, and the token would have no limit.
 */
function splitNames(given: string | readonly string[] | null | undefined): string[] {
  const texts = typeof given === 'string' ? [given] : (given ?? []);
  const names: string[] = [];
  for (const text of texts)
    for (const [name] of text.matchAll(/[^\s,;]+/g)) {
      names.push(name);
      if (names.length === NAMES_READ) return names;
    }
  return names;
}
