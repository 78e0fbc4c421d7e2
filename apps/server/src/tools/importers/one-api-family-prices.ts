/**
 * Converts ratios of One API's family to exact rates: ratio 1 is one point for a token, and 500,000 points are one
 * dollar.
 */
import { NANO_POINTS_PER_POINT, RATE_OF_USD_PER_UNIT, type Rates } from '@switchyard/contract/catalog/rates';
import { readShippedPrices } from '../../catalog/prices/prices.ts';
import type { SourcePrice } from './installation.ts';
import type { ImportReport } from './report.ts';
import {
  type Decimal,
  multiply,
  ONE,
  parseDecimal,
  type Row,
  readObject,
  readText,
  roundToUnit,
} from './row-values.ts';

const POINT = BigInt(NANO_POINTS_PER_POINT);
/** Unit of One Hub's price of a call. */
const THOUSAND_POINTS = POINT * 1_000n;
const DOLLAR = BigInt(RATE_OF_USD_PER_UNIT);
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

export function readPriceOptions(options: ReadonlyMap<string, string>, report: ImportReport): SourcePrice[] {
  const ratios = (name: PriceOption): ((model: string) => Decimal | undefined) => {
    const object = readObject(options.get(name) ?? '');
    return (model) => (Object.hasOwn(object, model) ? parseDecimal(object[model]) : undefined);
  };
  const names = (name: PriceOption): string[] => Object.keys(readObject(options.get(name) ?? ''));
  const perCall = ratios('ModelPrice');
  const ratioOf = ratios('ModelRatio');
  const completionOf = ratios('CompletionRatio');
  const cachedOf = ratios('CacheRatio');
  const writtenOf = ratios('CreateCacheRatio');
  const imageOf = ratios('ImageRatio');
  const soundOf = ratios('AudioRatio');
  const spokenOf = ratios('AudioCompletionRatio');
  const usual = readDefaultCompletionRatios();
  const models = [...new Set([...names('ModelPrice'), ...names('ModelRatio')])];
  if (models.length === 0)
    report.remark(
      'price',
      'the database has no prices: the source uses only the prices that are built into its program',
      'all',
    );
  return models.flatMap((model): SourcePrice[] => {
    const rateOf = createRateReader(model, report);
    const call = perCall(model);
    // As in the source, a price of a call takes precedence over a ratio, and a negative one means none.
    if (call !== undefined && call.digits >= 0n)
      return [{ model, type: 'times', rates: { input: rateOf(call, DOLLAR), output: 0 } }];
    const input = ratioOf(model);
    if (input === undefined) {
      report.count('price', 'read');
      report.skip('price', 'its price is not a number', model);
      return [];
    }
    const completionRatio = completionOf(model);
    const completion = completionRatio ?? usual.get(model) ?? ONE;
    if (completionRatio === undefined)
      report.remark(
        'price',
        'its completion ratio is built into the program, not in the database; check the output price',
        `${model} (× ${formatDecimal(completion)})`,
      );
    const rates: SourcePrice['rates'] = {
      input: rateOf(input, POINT),
      output: rateOf(multiply(input, completion), POINT),
    };
    const part = (name: keyof Rates, ratio: Decimal | undefined): void => {
      if (ratio !== undefined) rates[name] = rateOf(multiply(input, ratio), POINT);
    };
    const written = writtenOf(model);
    const sound = soundOf(model);
    part('cachedRead', cachedOf(model));
    part('cacheWrite5m', written);
    // One-hour cache writes cost 6/3.75 times as much as five-minute ones.
    part('cacheWrite1h', written && multiply(written, { digits: 16n, scale: 1 }));
    part('imageInput', imageOf(model));
    part('audioInput', sound);
    part('audioOutput', sound && multiply(sound, spokenOf(model) ?? ONE));
    return [{ model, type: 'tokens', rates }];
  });
}

/** Returns the ratios of output to input of the shipped prices, where they are short decimals. */
function readDefaultCompletionRatios(): ReadonlyMap<string, Decimal> {
  return new Map(
    readShippedPrices().flatMap(({ model, rates: { input, output } }) => {
      const ratio = input === 0 ? undefined : parseDecimal(output / input);
      return ratio === undefined || ratio.scale > 6 ? [] : [[model, ratio] as const];
    }),
  );
}

function formatDecimal({ digits, scale }: Decimal): string {
  return scale === 0 ? String(digits) : String(Number(digits) / 10 ** scale);
}
