/** Difference between a configuration file and an installation, and the steps to apply it. */

import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@switchyard/contract/client';
import type { Page, Routes } from '@switchyard/contract/route';
import { type FieldPath, formatPath, quoted } from './field-path.ts';

/** Some differences, and the call that ends them. */
export interface Step {
  lines: readonly string[];
  run: () => Promise<void>;
}

export interface Plan {
  steps: readonly Step[];
  /** Differences that are left unchanged, with the reason. */
  notes: readonly string[];
}

/** A running installation. */
export type Api = <R extends Routes>(routes: R) => Client<R>;

export const added = (place: FieldPath): string => `+ ${formatPath(place)}`;
export const removed = (place: FieldPath): string => `- ${formatPath(place)}`;

export function changed(place: FieldPath, before: unknown, after: unknown): string {
  return `~ ${formatPath(place)}: ${changeText(before, after)}`;
}

const SHOWN_LENGTH = 200;

export function changeText(before: unknown, after: unknown): string {
  if (!isTexts(before) || !isTexts(after)) return `${shown(before)} → ${shown(after)}`;
  const [more, fewer] = [
    after.filter((one) => !before.includes(one)),
    before.filter((one) => !after.includes(one)),
  ];
  const parts = [
    ...(more.length > 0 ? [`with ${shown(more)}`] : []),
    ...(fewer.length > 0 ? [`without ${shown(fewer)}`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : 'in another order';
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function shown(value: unknown): string {
  const text = quoted(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** The fields of which the two differ. */
export function differing<T extends object>(before: T, after: T): (keyof T & string)[] {
  return Object.keys(after).filter(
    (name): name is keyof T & string => !isDeepStrictEqual(before[name as keyof T], after[name as keyof T]),
  );
}

const PAGE_SIZE = 100;

/** A whole list, in an order in which what is added meanwhile stands at the end. */
export async function allPages<T>(
  read: (query: { page: number; size: number; order: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const { data, total_count: total } = await read({ page, size: PAGE_SIZE, order: 'id' });
    all.push(...data);
    if (data.length === 0 || all.length >= total) return all;
  }
}
