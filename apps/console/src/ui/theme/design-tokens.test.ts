import { describe, expect, it } from 'vitest';
import { dark, light, type Scheme } from './design-tokens.ts';

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function textPairs(scheme: Scheme): [string, string, string][] {
  const grounds = { background: scheme.background, paper: scheme.paper, raised: scheme.raised };
  const inks = {
    text: scheme.text,
    secondary: scheme.textSecondary,
    primary: scheme.primary,
    success: scheme.success.main,
    warning: scheme.warning.main,
    error: scheme.error.main,
    info: scheme.info.main,
  };
  const onGrounds = Object.entries(inks).flatMap(([ink, colour]) =>
    Object.entries(grounds).map(([ground, paper]): [string, string, string] => [`${ink} on ${ground}`, colour, paper]),
  );
  return [
    ...onGrounds,
    ['on primary', scheme.onPrimary, scheme.primary],
    ['on primary soft', scheme.onPrimarySoft, scheme.primarySoft],
    ['on neutral soft', scheme.onNeutralSoft, scheme.neutralSoft],
    ['success on its soft', scheme.success.main, scheme.success.soft],
    ['warning on its soft', scheme.warning.main, scheme.warning.soft],
    ['error on its soft', scheme.error.main, scheme.error.soft],
    ['info on its soft', scheme.info.main, scheme.info.soft],
  ];
}

describe.each([
  ['light', light],
  ['dark', dark],
])('%s scheme', (_, scheme) => {
  it.each(textPairs(scheme))('keeps %s readable (AA, 4.5)', (_, ink, ground) => {
    expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(scheme.series.map((colour, index): [number, string] => [index + 1, colour]))(
    'keeps chart series %i visible on paper (3.0)',
    (_, colour) => {
      expect(contrast(colour, scheme.paper)).toBeGreaterThanOrEqual(3);
    },
  );
});
