/**
 * Run-time settings: defaults from the contract, overridden by rows, held in memory, changed by root only. Secret
 * ones are stored sealed, and only their hints are returned.
 */
import {
  isSecret,
  type SettingGroup,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingFromText,
  settingNames,
  settingToText,
} from '@switchyard/contract/operations/settings';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { deleteKeyTexts } from '../../accounts/api-keys/api-keys.ts';
import type { Context } from '../../context.ts';
import { AppError, fieldError, stepUpRequired } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { invalidInput, issueContext } from '../../platform/http/field-errors.ts';
import type { Log } from '../../platform/log.ts';
import { hintOrBullets } from '../../platform/secrets/redact-secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Schema } from '../../schema.ts';
import { truncateValue } from './setting-history.ts';

/** Rules between settings, and the settings that require a step-up, in case a session was left open. */

const bucketSettings: readonly SettingName[] = [
  'resultBucketEndpoint',
  'resultBucketRegion',
  'resultBucket',
  'resultBucketKeyId',
  'resultBucketSecret',
];

/** Switch, the settings that it requires, and the value that counts as on if it is not a boolean. */
const requirements: readonly (readonly [SettingName, readonly SettingName[], on?: string])[] = [
  ['githubLogin', ['githubClientId', 'githubClientSecret', 'serverAddress']],
  ['oidcLogin', ['oidcIssuer', 'oidcClientId', 'oidcClientSecret', 'serverAddress']],
  ['larkLogin', ['larkClientId', 'larkClientSecret', 'serverAddress']],
  ['wechatLogin', ['wechatServerAddress', 'wechatServerToken']],
  ['turnstileCheck', ['turnstileSiteKey', 'turnstileSecret']],
  ['emailDomainRestriction', ['emailDomains']],
  ['emailVerification', ['smtpServer', 'smtpFrom']],
  ['telegramWebhook', ['telegramBotToken', 'serverAddress']],
  ['chatPicturesStored', ['serverAddress']],
  ['resultStorage', bucketSettings, 's3'],
  ['recordArchive', bucketSettings],
];

const otherSignIns = ['githubLogin', 'oidcLogin', 'larkLogin', 'wechatLogin'] as const;

const sensitiveGroups: ReadonlySet<SettingGroup> = new Set([
  'sign-in',
  'security',
  'mail',
  'quota',
  'payment',
  'invitations',
]);
/**
 * Settings that could redirect users or their data: reset links use the first, payments the second, users' keys go to
 * the chats, and artifacts and archived records to the bucket, whose host serves the buckets of other people, too.
 */
const sensitiveNames: ReadonlySet<SettingName> = new Set([
  'serverAddress',
  'topUpLink',
  'chatLink',
  'chatLinks',
  'resultBucketEndpoint',
  'resultBucket',
]);

export function needsStepUp(name: SettingName): boolean {
  return isSecret(name) || sensitiveNames.has(name) || sensitiveGroups.has(settingDefinitions[name].group);
}

/**
 * Checks only rules that the change touches, so that an earlier error does not block other changes.
 * @throws AppError that names each required option that is empty, or the switch that must stay
 */
function checkCombination(next: Settings, changed: ReadonlySet<SettingName>): void {
  const touched = (names: readonly SettingName[]): boolean => names.some((name) => changed.has(name));
  const fields = requirements
    .filter(([name, needs, on = true]) => next[name] === on && touched([name, ...needs]))
    .flatMap(([on, needs]) => needs.filter((name) => isEmpty(next[name])).map((name) => requiredByError(on, name)));
  if (fields.length > 0) {
    throw new AppError('invalid-input', fields.map(({ message }) => message).join('. '), { fields });
  }
  if (touched(['passwordLogin', ...otherSignIns])) requireSignInMethod(next);
  if (changed.has('githubOldIdClose') && !next.githubOldIdClose) {
    throw fieldError(
      'GitHubOldIdCloseEnabled',
      'names-can-be-taken-over',
      'GitHub usernames can be reused by other people, so accounts are matched by their numeric ID only',
    );
  }
}

function requiredByError(on: SettingName, name: SettingName): { path: string; rule: string; message: string } {
  const path = settingDefinitions[name].option;
  return { path, rule: 'needed', message: `${path} is required while ${settingDefinitions[on].option} is enabled` };
}

function requireSignInMethod(next: Settings): void {
  if (next.passwordLogin || otherSignIns.some((name) => next[name])) return;
  throw fieldError(
    settingDefinitions.passwordLogin.option,
    'last-sign-in',
    'This would leave no sign-in method. Enable another one first.',
  );
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

export interface Option {
  key: string;
  value: string;
}

/** Changes for the audit log, by option: the value before and after, or whether a secret was set or cleared. */
type Changes = Record<string, 'set' | 'cleared' | { before: string; after: string }>;

/**
 * Loads the settings. A stored value that no longer fits its setting, or cannot be decrypted, is logged and ignored.
 */
export async function loadSettings(db: Kysely<Schema>, vault: Vault, log: Log): Promise<Settings> {
  const rows = await db.selectFrom('setting').selectAll().execute();
  const stored = new Map(rows.map((row) => [row.name, row.value]));
  const currentValue = (name: SettingName): unknown => {
    const text = stored.get(name);
    if (text === undefined) return settingDefinitions[name].default;
    try {
      return settingFromText(name, isSecret(name) ? vault.open('setting', rowOf(name), text) : text);
    } catch (error) {
      log.error({ err: error, setting: name }, 'a stored setting is not valid; its default is used');
      return settingDefinitions[name].default;
    }
  };
  return Object.fromEntries(settingNames.map((name) => [name, currentValue(name)])) as Settings;
}

export function listOptions(settings: Settings): Option[] {
  return settingNames
    .filter((name) => !isSecret(name))
    .map((name) => ({ key: settingDefinitions[name].option, value: settingToText(name, settings[name]) }));
}

/** Returns the last characters of each secret, bullets when it is too short, or nothing when it is not set. */
export function listSecrets(settings: Settings): { key: string; hint: string }[] {
  return settingNames
    .filter(isSecret)
    .map((name) => ({
      key: settingDefinitions[name].option,
      hint: hintOrBullets(settingToText(name, settings[name])),
    }));
}

/**
 * Saves all options or none.
 * @throws AppError that names the option that is unknown, invalid, or required by another; `step-up-required`
 */
export async function saveOptions(
  ctx: Context,
  caller: Pick<Caller, 'steppedUp'>,
  options: readonly Option[],
): Promise<Changes> {
  const rows = options.map(({ key, value }) => ({ name: findSettingName(key), value: normalizeValue(key, value) }));
  const names = new Set(rows.map(({ name }) => name));
  if (!caller.steppedUp && [...names].some(needsStepUp)) throw stepUpRequired();
  const before = ctx.settings;
  const after = await ctx.db.writer.transaction().execute(async (trx) => {
    for (const row of rows) await storeSetting(trx, ctx.vault, row);
    const next = await loadSettings(trx, ctx.vault, ctx.log);
    checkCombination(next, names);
    return next;
  });
  await ctx.changes.publish({ topic: 'settings' });
  // Deleted after the setting is active, so that no new key's text is stored meanwhile.
  if (names.has('showKeysOnce') && after.showKeysOnce) await deleteKeyTexts(ctx);
  return listChanges([...names], before, after);
}

async function storeSetting(
  trx: Kysely<Schema>,
  vault: Vault,
  { name, value }: { name: SettingName; value: string },
): Promise<void> {
  if (isSecret(name) && value === '') {
    await trx.deleteFrom('setting').where('name', '=', name).execute();
    return;
  }
  const stored = isSecret(name) ? vault.seal('setting', rowOf(name), value) : value;
  await trx
    .insertInto('setting')
    .values({ name, value: stored })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: stored }))
    .execute();
}

const rowOf = (name: SettingName): string => `setting:${name}`;

function listChanges(names: readonly SettingName[], before: Settings, after: Settings): Changes {
  const shown = (name: SettingName, settings: Settings): string => truncateValue(settingToText(name, settings[name]));
  return Object.fromEntries(
    names.map((name) => {
      const secret = after[name] === '' ? 'cleared' : 'set';
      const change = isSecret(name) ? secret : { before: shown(name, before), after: shown(name, after) };
      return [settingDefinitions[name].option, change];
    }),
  );
}

const namesByOption = new Map(settingNames.map((name) => [settingDefinitions[name].option as string, name]));

function findSettingName(option: string): SettingName {
  const name = namesByOption.get(option);
  if (name === undefined) throw fieldError(option, 'unknown', `There is no setting ${option}`);
  return name;
}

function normalizeValue(option: string, value: string): string {
  try {
    const name = findSettingName(option);
    return settingToText(name, settingFromText(name, value, issueContext));
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issues = error.issues.slice(0, 1).map((issue) => ({ ...issue, path: [option] }));
    throw invalidInput(issues, { [option]: value });
  }
}
