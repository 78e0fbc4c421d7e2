/** Rules between settings, and the settings that are too sensitive for a session that was left open. */
import {
  isSecret,
  type SettingGroup,
  type SettingName,
  type Settings,
  settingDefinitions,
} from '@switchyard/contract/operations/settings';
import { AppError, fieldError } from '../../platform/http/app-error.ts';

const bucket: readonly SettingName[] = [
  'resultBucketEndpoint',
  'resultBucketRegion',
  'resultBucket',
  'resultBucketKeyId',
  'resultBucketSecret',
];

/** A switch, what must not be empty while it is on, and what counts as on where it is no switch. */
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
  ['resultStorage', bucket, 's3'],
  ['recordArchive', bucket],
];

const otherSignIns = ['githubLogin', 'oidcLogin', 'larkLogin', 'wechatLogin'] as const;

const steppedUpGroups: ReadonlySet<SettingGroup> = new Set([
  'sign-in',
  'security',
  'mail',
  'quota',
  'payment',
  'invitations',
]);
/** Links for new passwords lead to the first, buyers to the second, users' keys to the chats, and results to the last. */
const steppedUpNames: ReadonlySet<SettingName> = new Set([
  'serverAddress',
  'topUpLink',
  'chatLink',
  'chatLinks',
  'resultBucketEndpoint',
]);

export function needsStepUp(name: SettingName): boolean {
  return isSecret(name) || steppedUpNames.has(name) || steppedUpGroups.has(settingDefinitions[name].group);
}

/**
 * Looks only at rules that the change touches: something that was wrong before keeps nobody from changing other things.
 * @throws AppError that names each option which is empty and needed, or the switch that must stay as it is
 */
export function checkTogether(next: Settings, changed: ReadonlySet<SettingName>): void {
  const touched = (names: readonly SettingName[]): boolean => names.some((name) => changed.has(name));
  const fields = requirements
    .filter(([name, needs, on = true]) => next[name] === on && touched([name, ...needs]))
    .flatMap(([on, needs]) => needs.filter((name) => isEmpty(next[name])).map((name) => neededBy(on, name)));
  if (fields.length > 0) {
    throw new AppError('invalid-input', fields.map(({ message }) => message).join('. '), { fields });
  }
  if (touched(['passwordLogin', ...otherSignIns])) checkWayIn(next);
  if (changed.has('githubOldIdClose') && !next.githubOldIdClose) {
    throw fieldError(
      'GitHubOldIdCloseEnabled',
      'names-can-be-taken-over',
      'GitHub usernames can be reused by other people, so accounts are matched by their numeric ID only',
    );
  }
}

function neededBy(on: SettingName, name: SettingName): { path: string; rule: string; message: string } {
  const path = settingDefinitions[name].option;
  return {
    path,
    rule: 'needed',
    message: `${path} is required while ${settingDefinitions[on].option} is enabled`,
  };
}

function checkWayIn(next: Settings): void {
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
