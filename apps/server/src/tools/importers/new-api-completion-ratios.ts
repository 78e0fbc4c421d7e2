/**
 * Completion ratios that are built into New API for families of models, by `getHardcodedCompletionModelRatio` and
 * `defaultCompletionRatio`: https://github.com/QuantumNous/new-api/blob/main/setting/ratio_setting/model_ratio.go
 * Versions of the program differ in the newest families.
 */
import { type Decimal, ONE, parseDecimal } from './row-values.ts';

export interface BuiltInCompletion {
  ratio: Decimal;
  /** True if the ratio takes precedence over a saved one. */
  isFixed: boolean;
}

type Family = readonly [names: RegExp, ratio: string, isFixed?: 'fixed'];

/** The first family that contains a name applies. Quotients have more digits than a rate. */
const families: readonly Family[] = [
  [/-all$|-gizmo-\*$|^gpt-4o?-gizmo/, '2'],
  [/^gpt-4o-2024-05-13$/, '3', 'fixed'],
  [/^gpt-4o-mini-tts/, '20'],
  [/^gpt-4o/, '4'],
  [/^gpt-5[^.]*$/, '8', 'fixed'],
  [/^gpt-5\.4-nano/, '6.25', 'fixed'],
  [/^gpt-5\.4/, '6', 'fixed'],
  [/^gpt-5/, '6'],
  [/^gpt-4\.5-preview/, '2', 'fixed'],
  [/^gpt-4-turbo|^gpt-4-110[56]$/, '3', 'fixed'],
  [/^gpt-/, '2'],
  [/^o[13]/, '4', 'fixed'],
  [/^chatgpt-4o-latest$/, '3', 'fixed'],
  [/claude-(?:3|(?:sonnet|opus|haiku)-4|(?:fable|sonnet|opus)-5)/, '5', 'fixed'],
  [/^mistral-/, '3', 'fixed'],
  [/^gemini-(?:1\.5|2\.0)/, '4', 'fixed'],
  [/^gemini-2\.5-pro/, '8'],
  [/^gemini-2\.5-flash-preview.*-nothinking$/, '4'],
  // 3.5 / 0.15
  [/^gemini-2\.5-flash-preview/, '23.333333333333'],
  [/^gemini-2\.5-flash-lite/, '4'],
  // 2.5 / 0.3
  [/^gemini-(?:2\.5-flash|robotics-er-1\.5)/, '8.333333333333'],
  [/^gemini-3-pro-image/, '60'],
  [/^gemini-3-pro/, '6'],
  [/^gemini-/, '4'],
  [/^command-r$/, '3', 'fixed'],
  [/^command-r-plus$/, '5', 'fixed'],
  [/^command-r(?:-plus)?-08-2024$/, '4', 'fixed'],
  [/^command/, '4'],
  [/^ERNIE-(?:Speed-|Lite-|Character|Functions)/, '2', 'fixed'],
  [/^llama2-70b-4096$/, '1.25', 'fixed'],
  [/^llama3-8b-8192$/, '2', 'fixed'],
  // 0.79 / 0.59
  [/^llama3-70b-8192$/, '1.338983050847', 'fixed'],
];

/** Ratios of single models that apply until an administrator saves the option. */
const unsavedRatios: Readonly<Record<string, string>> = { 'gpt-4o-gizmo-*': '3', 'gpt-image-1': '8' };

/** @param isOptionSaved true if the source has saved completion ratios, of whatever models */
export function findBuiltInCompletion(model: string, isOptionSaved: boolean): BuiltInCompletion {
  const own = isOptionSaved || !Object.hasOwn(unsavedRatios, model) ? undefined : unsavedRatios[model];
  const [, ratio, fixed] = families.find(([names]) => names.test(model)) ?? [];
  return { ratio: parseDecimal(own ?? ratio) ?? ONE, isFixed: fixed !== undefined };
}
