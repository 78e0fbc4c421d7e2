import type { Language } from '@switchyard/contract/accounts/account';
import type { Words } from './words.ts';
import { enUs } from './words-en-us.ts';
import { jaJp } from './words-ja-jp.ts';
import { zhCn } from './words-zh-cn.ts';
import { zhHk } from './words-zh-hk.ts';

export const wordsOf: Readonly<Record<Language, Words>> = {
  en_US: enUs,
  zh_CN: zhCn,
  zh_HK: zhHk,
  ja_JP: jaJp,
};
