/** Text of a notification in the language of its recipient. */
import type { AlertEvent } from '@switchyard/contract/operations/alerts';
import { type Language, momentIn, oneLine } from '../../mail/templates/templates.ts';
import { enUs } from './en-us.ts';
import { jaJp } from './ja-jp.ts';
import type { AlertText, AlertValues, AlertWords } from './words.ts';
import { zhCn } from './zh-cn.ts';
import { zhHk } from './zh-hk.ts';

export type { AlertText, AlertValues } from './words.ts';

const wordsOf: Record<Language, AlertWords> = { en_US: enUs, zh_CN: zhCn, zh_HK: zhHk, ja_JP: jaJp };

export function alertText<E extends AlertEvent>(
  event: E,
  values: AlertValues[E],
  language: Language,
): AlertText {
  const { title, text } = wordsOf[language].alerts[event](values, (time) => momentIn(language, time));
  return { title: oneLine(title), text: oneLine(text) };
}

export function testText(language: Language): AlertText {
  return wordsOf[language].test;
}
