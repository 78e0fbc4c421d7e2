/** Texts of the bot in each language. */
import type { ApiKeyStatus } from '@switchyard/contract/codes';
import type { BuiltInCommand } from '@switchyard/contract/operations/telegram';

/** Why a code was not redeemed. */
export type CodeRefusal =
  | 'code-unknown'
  | 'code-used'
  | 'code-disabled'
  | 'code-expired'
  | 'code-limit'
  | 'code-not-for-you'
  | 'not-allowed';

/** Every sentence in one language; one that is missing does not compile. Amounts come with their units. */
export interface Words {
  /** Descriptions in Telegram's list of commands. */
  descriptions: Readonly<Record<Exclude<BuiltInCommand, 'start'>, string>>;
  /** @param points whole points, with their separators */
  points: (points: string) => string;
  help: string;
  unknownCommand: string;
  /** @param link to the profile; empty where the site's address is not known */
  howToBind: (link: string) => string;
  confirmBind: (username: string, site: string) => string;
  bound: string;
  alreadyBound: (username: string) => string;
  taken: string;
  bindingCodeUnknown: string;
  confirmUnbind: string;
  unbound: string;
  disabled: string;
  balance: (amounts: { balance: string; held: string; usedToday: string }) => string;
  noKeys: string;
  keyStatus: Readonly<Record<ApiKeyStatus, string>>;
  left: (amount: string) => string;
  unlimited: string;
  moreKeys: (count: number) => string;
  howToRedeem: string;
  redeemed: (amount: string, balance: string) => string;
  codeRefused: Readonly<Record<CodeRefusal, string>>;
  tooManyTries: (minutes: number) => string;
  balanceFull: string;
  topUp: (link: string) => string;
  invite: (link: string) => string;
  noAddress: string;
  failed: string;
}
