/** Settings that mean the same there and here. They are told, not set: the new site is another one until it takes over. */
import { settingDefinitions, settingFromText, settingToText } from '@switchyard/contract/operations/settings';
import type { Installation } from './installation.ts';
import type { Run } from './run.ts';

/** The names are the family's own. */
const alike = [
  'systemName',
  'logo',
  'footer',
  'notice',
  'about',
  'homePage',
  'topUpLink',
  'chatLink',
  'registerEnabled',
  'passwordRegister',
  'passwordLogin',
  'emailVerification',
  'emailDomainRestriction',
  'emailDomains',
  'quotaForNewUser',
  'quotaForInviter',
  'quotaForInvitee',
  'quotaPerUnit',
  'displayInCurrency',
  'preConsumedQuota',
  'retryTimes',
] as const;
const SHOWN_MAX = 200;

export function proposeSettings({ target, report }: Run, { options }: Installation): void {
  for (const name of alike) {
    const { option } = settingDefinitions[name];
    const text = options.get(option);
    const value = text === undefined ? undefined : valueOf(name, text);
    const here = settingToText(name, target.settings[name]);
    if (value === undefined || value === '' || value === here) continue;
    report.propose(`${option} = ${shown(value)} (here: ${shown(here)})`);
  }
}

/** Undefined where it does not fit the setting here. */
function valueOf(name: (typeof alike)[number], text: string): string | undefined {
  try {
    return settingToText(name, settingFromText(name, text));
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
}
