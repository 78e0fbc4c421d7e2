/** Plan of the steps that apply a configuration file to an installation, and the text of its lines. */

import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@switchyard/contract/client';
import type { Page, Routes } from '@switchyard/contract/route';
import { escapeControlCharacters } from '../../platform/escape-terminal-text.ts';

/** Path to a part of a configuration file: `channels[3].models`. */
export type FieldPath = readonly PropertyKey[];

/** Formats a path. Names other than plain words are quoted, so that their characters cannot control a terminal. */
export function formatPath(fieldPath: FieldPath): string {
  return fieldPath
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      const name = String(step);
      if (/^[\w-]{1,64}$/.test(name)) return at === 0 ? name : `.${name}`;
      return `[${quoteSafely(name)}]`;
    })
    .join('');
}

/** Returns JSON that also escapes the control characters that `JSON.stringify` does not. */
export function quoteSafely(value: unknown): string {
  return escapeControlCharacters(JSON.stringify(value) ?? 'null');
}

/** Differences that one call resolves. */
export interface PlanStep {
  lines: readonly string[];
  run: () => Promise<void>;
}

export interface Plan {
  steps: readonly PlanStep[];
  /** Differences that are left unchanged, with the reason. */
  notes: readonly string[];
}

/** Client of a running installation. */
export type Api = <R extends Routes>(routes: R) => Client<R>;

export const formatAdded = (fieldPath: FieldPath): string => `+ ${formatPath(fieldPath)}`;
export const formatRemoved = (fieldPath: FieldPath): string => `- ${formatPath(fieldPath)}`;

export function formatChanged(fieldPath: FieldPath, before: unknown, after: unknown): string {
  return `~ ${formatPath(fieldPath)}: ${formatChange(before, after)}`;
}

const SHOWN_LENGTH = 200;

export function formatChange(before: unknown, after: unknown): string {
  if (!isTexts(before) || !isTexts(after)) return `${formatValue(before)} → ${formatValue(after)}`;
  const [more, fewer] = [after.filter((one) => !before.includes(one)), before.filter((one) => !after.includes(one))];
  const parts = [
    ...(more.length > 0 ? [`with ${formatValue(more)}`] : []),
    ...(fewer.length > 0 ? [`without ${formatValue(fewer)}`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : 'in another order';
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function formatValue(value: unknown): string {
  const text = quoteSafely(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** Returns the fields in which the two differ. */
export function listDifferingFields<T extends object>(before: T, after: T): (keyof T & string)[] {
  return Object.keys(after).filter(
    (name): name is keyof T & string => !isDeepStrictEqual(before[name as keyof T], after[name as keyof T]),
  );
}

const PAGE_SIZE = 100;

/**
 * Reads a whole list in the order of ids. Each page begins after the last row of the one before, so that rows that are
 * removed meanwhile move no other row to a page that was read already.
 */
export async function readAllPages<T extends { id: number }>(
  read: (query: { after_id: T['id'] | undefined; size: number; order: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const { data } = await read({ after_id: all.at(-1)?.id, size: PAGE_SIZE, order: 'id' });
    all.push(...data);
    if (data.length < PAGE_SIZE) return all;
  }
}
