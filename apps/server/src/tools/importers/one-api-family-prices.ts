/**
 * Converts ratios of One API's family to exact rates: ratio 1 is one point for a token, and 500,000 points are one
 * dollar.
 */
import { NANO_POINTS_PER_POINT, type Rates } from '@switchyard/contract/catalog/price-rates';
import { readShippedPrices } from '../../catalog/prices/prices.ts';
import { createNameLookup } from '../../platform/model-prefix-lookup.ts';
import { findBuiltInCompletion } from './new-api-completion-ratios.ts';
import type { ImportReport } from './report.ts';
import {
  type Decimal,
  isInvalidJson,
  multiply,
  ONE,
  parseDecimal,
  type Row,
  readObject,
  readText,
  roundToUnit,
} from './row-values.ts';
import type { ProductName, SourcePrice } from './source-installation.ts';

const POINT = BigInt(NANO_POINTS_PER_POINT);
/** Unit of One Hub's price of a call. */
const THOUSAND_POINTS = POINT * 1_000n;
const RATE_MAX = 5_000_000_000_000_000n;

/** Returns a function that converts rates of a model, and reports each rate that cannot be imported exactly. */
function createRateReader(model: string, report: ImportReport) {
  return (value: Decimal, unit: bigint): number => {
    const { whole, isExact } = roundToUnit(value, unit);
    if (!isExact) report.remark('price', 'a rate is rounded to a billionth of a point', model);
    if (whole < 0n) report.remark('price', 'a negative rate is replaced by 0', model);
    if (whole > RATE_MAX) report.remark('price', 'a rate is lowered to the maximum', model);
    return Number(whole < 0n ? 0n : whole > RATE_MAX ? RATE_MAX : whole);
  };
}

/** One Hub's kinds of tokens: their rates, and the price that they are multiples of. */
const extraKinds: Readonly<Record<string, readonly [readonly (keyof Rates)[], 'input' | 'output']>> = {
  cached_tokens: [['cachedRead'], 'input'],
  cached_read_tokens: [['cachedRead'], 'input'],
  cached_write_tokens: [['cacheWrite5m', 'cacheWrite1h'], 'input'],
  input_audio_tokens: [['audioInput'], 'input'],
  input_image_tokens: [['imageInput'], 'input'],
  output_audio_tokens: [['audioOutput'], 'output'],
  output_image_tokens: [['imageOutput'], 'output'],
  reasoning_tokens: [['reasoning'], 'output'],
};
/** Ratios of Anthropic's cache writes and reads, where a price doesn't set them. */
const defaultExtraRatios: Readonly<Record<string, string>> = { cached_write_tokens: '1.25', cached_read_tokens: '0.1' };

export function readPriceTable(rows: readonly Row[], report: ImportReport): SourcePrice[] {
  return rows.flatMap((row): SourcePrice[] => {
    const model = readText(row['model']);
    const input = parseDecimal(row['input']);
    if (input === undefined) {
      report.count('price', 'read');
      report.skip('price', 'its input price is not a number', model);
      return [];
    }
    const rateOf = createRateReader(model, report);
    if (readText(row['type']) === 'times') {
      const rate = rateOf(input, THOUSAND_POINTS);
      return [{ model, type: 'times', rates: { input: rate, output: 0 } }];
    }
    const output = parseDecimal(row['output']) ?? { digits: 0n, scale: 0 };
    const rates: SourcePrice['rates'] = { input: rateOf(input, POINT), output: rateOf(output, POINT) };
    const extras = { ...(model.includes('claude') ? defaultExtraRatios : {}), ...readObject(row['extra_ratios']) };
    for (const [kind, value] of Object.entries(extras)) {
      const place = Object.hasOwn(extraKinds, kind) ? extraKinds[kind] : undefined;
      const ratio = parseDecimal(value);
      if (place === undefined || ratio === undefined) {
        report.remark('price', `the ratio of ${kind.slice(0, 40)} is not supported`, model);
        continue;
      }
      const [names, of] = place;
      for (const name of names) rates[name] = rateOf(multiply(of === 'input' ? input : output, ratio), POINT);
    }
    return [{ model, type: 'tokens', rates }];
  });
}

/** Options with ratios by model, each a JSON object. */
export const priceOptions = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
] as const;
type PriceOption = (typeof priceOptions)[number];

/** Option that names the models whose price is a billing expression, as a JSON object. */
export const BILLING_MODES = 'billing_setting.billing_mode';
const BY_EXPRESSION = 'tiered_expr';

/** Ratio of cache writes to the input in New API, for each model without one of its own. */
const WRITE_RATIO: Decimal = { digits: 125n, scale: 2 };
/** Points for a dollar in a source that does not set `QuotaPerUnit`. */
const POINTS_OF_DOLLAR: Decimal = { digits: 500_000n, scale: 0 };

/** Ratios that apply in New API until an administrator saves the option. */
const builtInRatios: Readonly<Record<'ImageRatio' | 'AudioRatio', Readonly<Record<string, string>>>> = {
  ImageRatio: { 'gpt-image-1': '2' },
  AudioRatio: {
    'gpt-4o-audio-preview': '16',
    'gpt-4o-mini-audio-preview': '66.67',
    'gpt-4o-realtime-preview': '8',
    'gpt-4o-mini-realtime-preview': '16.67',
    'gpt-4o-mini-tts': '25',
  },
};

/**
 * Creates readers of the options. The database has only those that an administrator has saved, and a saved one
 * replaces all ratios of its kind that are built into the program:
 * https://github.com/QuantumNous/new-api/tree/main/setting/ratio_setting
 */
function createOptionReaders(options: ReadonlyMap<string, string>, isNewApi: boolean, report: ImportReport) {
  const readOption = (name: PriceOption): Row => readObject(options.get(name) ?? '');
  const isSaved = (name: PriceOption): boolean => {
    const text = options.get(name) ?? '';
    return text.trim() !== '' && !isInvalidJson(text);
  };
  const reportBuiltIn = (model: string, what: string, price: string, ratio: Decimal): void =>
    report.remark(
      'price',
      `its ${what} ratio is built into the program, not in the database; check the ${price} price`,
      `${model} (× ${formatDecimal(ratio)})`,
    );
  return {
    isSaved,
    listModels: (name: PriceOption): string[] => Object.keys(readOption(name)),
    /** Returns a function that finds the saved ratio of a model. */
    ratios: (name: PriceOption): ((model: string) => Decimal | undefined) => {
      const object = readOption(name);
      return (model) => (Object.hasOwn(object, model) ? parseDecimal(object[model]) : undefined);
    },
    reportBuiltIn,
    /** Returns the built-in ratio of a model, if the option was never saved, and reports it. */
    findBuiltIn: (name: keyof typeof builtInRatios, model: string, what: string): Decimal | undefined => {
      if (!isNewApi || isSaved(name) || !Object.hasOwn(builtInRatios[name], model)) return undefined;
      const ratio = parseDecimal(builtInRatios[name][model]);
      if (ratio !== undefined) reportBuiltIn(model, what, what, ratio);
      return ratio;
    },
  };
}

type OptionReaders = ReturnType<typeof createOptionReaders>;

/**
 * Returns a function that finds the completion ratio of a model, and reports each that is not a saved one.
 * `shipped` is the ratio of the model here, for programs whose built-in ratios are unknown.
 */
function createCompletionReader(
  { isSaved, ratios, reportBuiltIn }: OptionReaders,
  isNewApi: boolean,
  report: ImportReport,
) {
  const savedOf = ratios('CompletionRatio');
  return (model: string, shipped: Decimal | undefined): Decimal => {
    const saved = savedOf(model);
    const builtIn = isNewApi
      ? findBuiltInCompletion(model, isSaved('CompletionRatio'))
      : { ratio: shipped ?? ONE, isFixed: false };
    // A saved ratio of a name with a slash always applies.
    if (saved !== undefined && (!builtIn.isFixed || model.includes('/'))) return saved;
    if (saved === undefined) reportBuiltIn(model, 'completion', 'output', builtIn.ratio);
    else if (!isEqual(saved, builtIn.ratio))
      report.remark(
        'price',
        'the source ignores its saved completion ratio for one that is built into the program; check the output price',
        `${model} (× ${formatDecimal(builtIn.ratio)} instead of ${formatDecimal(saved)})`,
      );
    return builtIn.ratio;
  };
}

/** Returns the models that New API charges by an expression instead of their ratios. */
function listExpressionModels(options: ReadonlyMap<string, string>): string[] {
  const modes = Object.entries(readObject(options.get(BILLING_MODES) ?? ''));
  return modes.flatMap(([model, mode]) => (mode === BY_EXPRESSION ? [model] : []));
}

/** Reads the prices of products that store them as options. */
export function readPriceOptions(
  options: ReadonlyMap<string, string>,
  product: ProductName,
  report: ImportReport,
): SourcePrice[] {
  const isNewApi = product === 'new-api';
  const readers = createOptionReaders(options, isNewApi, report);
  const { isSaved, listModels, ratios, reportBuiltIn, findBuiltIn } = readers;
  const perCall = ratios('ModelPrice');
  const ratioOf = ratios('ModelRatio');
  const completionOf = createCompletionReader(readers, isNewApi, report);
  const cachedOf = ratios('CacheRatio');
  const writtenOf = ratios('CreateCacheRatio');
  const imageOf = ratios('ImageRatio');
  const soundOf = ratios('AudioRatio');
  const spokenOf = ratios('AudioCompletionRatio');
  const shippedOf = createShippedRatios();
  const convertCallPrice = createCallPriceConverter();
  const dollar = readDollar(options, report);
  const hasBuiltInCache = isNewApi && !isSaved('CacheRatio');
  const lists: readonly PriceOption[] = isNewApi ? ['ModelRatio', 'ModelPrice'] : ['ModelRatio'];
  const byExpression = new Set(isNewApi ? listExpressionModels(options) : []);
  const models = [...new Set([...listModels('ModelPrice'), ...listModels('ModelRatio'), ...byExpression])];
  if (models.length === 0)
    report.remark(
      'price',
      'the database has no prices: the source uses only the prices that are built into its program',
      'all',
    );
  else
    for (const name of lists.filter((list) => !isSaved(list)))
      report.remark('price', 'the option was never saved: its built-in prices are not imported', name);
  return models.flatMap((model): SourcePrice[] => {
    const rateOf = createRateReader(model, report);
    if (byExpression.has(model)) {
      report.count('price', 'read');
      report.skip('price', 'it is a billing expression; set a price by hand', model);
      return [];
    }
    const call = perCall(model);
    // As in the source, a price of a call takes precedence over a ratio, and a negative one means none.
    if (call !== undefined && call.digits >= 0n)
      return [convertCallPrice(model, (ratio) => rateOf(multiply(multiply(call, dollar), ratio), POINT), report)];
    const input = ratioOf(model);
    if (input === undefined) {
      report.count('price', 'read');
      report.skip('price', 'its price is not a number', model);
      return [];
    }
    const shipped = shippedOf(model);
    const rates: SourcePrice['rates'] = {
      input: rateOf(input, POINT),
      output: rateOf(multiply(input, completionOf(model, shipped.completion)), POINT),
    };
    const part = (name: keyof Rates, ratio: Decimal | undefined): void => {
      if (ratio !== undefined) rates[name] = rateOf(multiply(input, ratio), POINT);
    };
    if (hasBuiltInCache) reportBuiltIn(model, 'cache', 'cached input', shipped.cached ?? ONE);
    const written = writtenOf(model) ?? (isNewApi ? WRITE_RATIO : undefined);
    const sound = soundOf(model) ?? findBuiltIn('AudioRatio', model, 'audio');
    part('cachedRead', hasBuiltInCache ? shipped.cached : cachedOf(model));
    part('cacheWrite5m', written);
    // One-hour cache writes cost 6/3.75 times as much as five-minute ones.
    part('cacheWrite1h', written && multiply(written, { digits: 16n, scale: 1 }));
    part('imageInput', imageOf(model) ?? findBuiltIn('ImageRatio', model, 'image'));
    part('audioInput', sound);
    part('audioOutput', sound && multiply(sound, spokenOf(model) ?? ONE));
    return [{ model, type: 'tokens', rates }];
  });
}

/** Unit that New API multiplies the price of a call by, with the factors of the unit's sizes and qualities. */
interface SoldUnit {
  unit: 'image' | 'second';
  factors: Readonly<Record<string, string>>;
}

const dallESizes = { '256x256': '0.4', '512x512': '0.45', '1024x1024': '1', '1024x1792': '2', '1792x1024': '2' };
const dallE3Qualities = { '1024x1024/hd': '2', '1024x1792/hd': '3', '1792x1024/hd': '3' };

/**
 * Units by the beginning of the models' names, the longest first. New API multiplies by `n`, seconds and sizes:
 * https://github.com/QuantumNous/new-api/blob/main/relay/image_handler.go
 * https://github.com/QuantumNous/new-api/blob/main/dto/openai_image.go
 * https://github.com/QuantumNous/new-api/blob/main/relay/channel/task/sora/adaptor.go
 */
const soldUnits: readonly (readonly [start: string, sold: SoldUnit])[] = [
  ['dall-e-3', { unit: 'image', factors: { ...dallESizes, ...dallE3Qualities } }],
  ['dall-e', { unit: 'image', factors: dallESizes }],
  ['gpt-image-', { unit: 'image', factors: {} }],
  ['imagen-', { unit: 'image', factors: {} }],
  ['sora-2', { unit: 'second', factors: { '1024x1792': '1.666667', '1792x1024': '1.666667' } }],
];

/** Beginnings of the names of actions that cost one price a task in the source, too. */
const actionPrefixes = ['mj_', 'swap_face', 'suno_'];

/**
 * Returns a function that converts a price of a call. Here, such a price is one for each request. There, it is
 * multiplied by images, seconds and sizes, so that it becomes a price of these where the model has a single unit. Other
 * models that may create images or videos are reported.
 */
function createCallPriceConverter() {
  const shippedOf = createNameLookup(readShippedPrices());
  return (model: string, rateOf: (ratio: Decimal) => number, report: ImportReport): SourcePrice => {
    const rate = rateOf(ONE);
    const [, sold] = soldUnits.find(([start]) => model.startsWith(start)) ?? [];
    if (sold !== undefined) {
      const { unit, factors } = sold;
      const sizes = Object.entries(factors).map(([size, text]) => [size, rateOf(parseDecimal(text) ?? ONE)]);
      report.remark(
        'price',
        `its price of a call is imported as a price of one ${unit}, as the source charges it`,
        model,
      );
      return {
        model,
        type: 'tokens',
        rates: { input: 0, output: 0, [unit]: rate },
        imageRates: Object.fromEntries(sizes),
      };
    }
    const shipped = shippedOf(model);
    const isTextOnly =
      shipped !== undefined &&
      [shipped.rates.image, shipped.rates.second, shipped.rates.imageOutput].every((own) => own === null) &&
      Object.keys(shipped.imageRates).length === 0;
    if (!isTextOnly && !actionPrefixes.some((start) => model.startsWith(start)))
      report.remark(
        'price',
        'a request costs the price once here, but the source multiplies it by the number of images, and by seconds and size of videos; set a price of an image or a second if it creates them',
        model,
      );
    return { model, type: 'times', rates: { input: rate, output: 0 } };
  };
}

/**
 * Returns the points of a dollar, in which the source charges prices of calls. Prices of tokens do not depend on it:
 * a ratio is a number of points.
 */
function readDollar(options: ReadonlyMap<string, string>, report: ImportReport): Decimal {
  const text = options.get('QuotaPerUnit') ?? '';
  if (text === '') return POINTS_OF_DOLLAR;
  const points = parseDecimal(text);
  if (points !== undefined && points.digits > 0n) return points;
  report.remark(
    'price',
    'the option is not a number above 0; prices of calls are imported at 500000 points for a dollar',
    `QuotaPerUnit (${readText(text)})`,
  );
  return POINTS_OF_DOLLAR;
}

/** Ratios of a model's rates to its input. */
interface ShippedRatios {
  completion?: Decimal;
  cached?: Decimal;
}

/** Returns a function that finds the ratios of a model in the shipped prices of tokens. */
function createShippedRatios(): (model: string) => ShippedRatios {
  const priceOf = createNameLookup(
    readShippedPrices().filter(({ type, rates: { input } }) => type === 'tokens' && input > 0),
  );
  return (model) => {
    const rates = priceOf(model)?.rates;
    if (rates === undefined) return {};
    const { input, output, cachedRead } = rates;
    return { completion: divide(output, input), ...(cachedRead === null ? {} : { cached: divide(cachedRead, input) }) };
  };
}

/** Returns a ratio in millionths. Both are nano-points, and `by` is above 0. */
function divide(rate: number, by: number): Decimal {
  return { digits: BigInt(Math.round((rate / by) * 1_000_000)), scale: 6 };
}

function isEqual(one: Decimal, other: Decimal): boolean {
  return one.digits * 10n ** BigInt(other.scale) === other.digits * 10n ** BigInt(one.scale);
}

function formatDecimal({ digits, scale }: Decimal): string {
  return scale === 0 ? String(digits) : String(Number(digits) / 10 ** scale);
}
