import type { Language } from '@switchyard/contract/accounts/account';
import { enUs } from './en-us.ts';
import { jaJp } from './ja-jp.ts';
import type { Words } from './words.ts';
import { zhCn } from './zh-cn.ts';
import { zhHk } from './zh-hk.ts';

export const wordsOf: Readonly<Record<Language, Words>> = {
  en_US: enUs,
  zh_CN: zhCn,
  zh_HK: zhHk,
  ja_JP: jaJp,
};
