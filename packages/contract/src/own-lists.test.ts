/** A user sorts and filters only by fields of the response, because an order or a filter reveals its values. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { features } from './all-feature-routes.ts';
import type { Route, Routes } from './route.ts';

/** Fields that are empty in a user's response. */
const hidden: Readonly<Record<string, readonly string[]>> = {
  'usageRecords.listOwn': ['cost', 'channel'],
  'tasks.listOwn': ['channel', 'upstream_id'],
};

/** Parameters that filter by a field of another name. */
const renamed: Readonly<Record<string, string>> = {
  'apiKeys.list.keyword': 'name',
  'playground.listConversations.keyword': 'title',
  'tasks.listOwn.start_timestamp': 'created_at',
  'tasks.listOwn.end_timestamp': 'created_at',
  'tasks.listOwn.task_id': 'id',
  'usageRecords.listOwn.log_type': 'type',
  'usageRecords.listOwn.start_timestamp': 'created_at',
  'usageRecords.listOwn.end_timestamp': 'created_at',
};

/** Routes of the rows of another one, as a file or in sum. */
const rowsOf: Readonly<Record<string, string>> = {
  'usageRecords.totalsOwn': 'usageRecords.listOwn',
  'usageRecords.exportOwn': 'usageRecords.listOwn',
};

/** Parameters that select no rows of a list, and their effects. */
const noFilters: Readonly<Record<string, string>> = {
  'apiKeys.update.status_only': 'chooses the fields that change',
  'dashboard.own.days': 'the length of the period of the user’s own calls',
  'dashboard.own.utc_offset': 'the days of the period',
  'identities.bindWechat.code': 'a proof',
  'orders.getOwn.while_status': 'waits for another status of the user’s own order',
  'orders.isPaid.trade_no': 'names one order of the user’s own',
  'profile.bindEmail.code': 'a proof',
  'profile.bindEmail.email': 'the new value',
  'statements.csv.date': 'names one statement of the user’s own',
  'statements.pdf.date': 'names one statement of the user’s own',
};

const routes = new Map<string, Route>(
  Object.entries<Routes>(features).flatMap(([feature, own]) =>
    Object.entries(own).map(([name, route]) => [`${feature}.${name}`, route] as const),
  ),
);
const ownQueries = [...routes].flatMap(([name, { access, query }]) =>
  access === 'user' && query !== undefined ? [{ name, query }] : [],
);
const paging = new Set(['page', 'size', 'order']);

/** Returns the fields of each row of a response, or of the response itself. */
function listFields(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodArray) return schema.element instanceof z.ZodType ? listFields(schema.element) : [];
  if (!(schema instanceof z.ZodObject)) return [];
  const { data } = schema.shape;
  return data instanceof z.ZodArray ? listFields(data) : Object.keys(schema.shape);
}

/** Returns the fields that a route's response shows to a user. */
function listShownFields(name: string): ReadonlySet<string> {
  const shown = rowsOf[name] ?? name;
  const answer = routes.get(shown)?.answer;
  const isHidden = new Set(hidden[shown]);
  return new Set(answer === undefined ? [] : listFields(answer).filter((field) => !isHidden.has(field)));
}

/** Returns the columns that the pattern of `order` allows. */
function listSortable(query: z.ZodObject): string[] {
  const schema: unknown = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' }).properties?.['order'];
  const { pattern } = z.object({ pattern: z.string() }).parse(schema);
  const [, names = ''] = /^\^-\?\(([^)]*)\)/.exec(pattern) ?? [];
  return names === '' ? [] : names.split('|');
}

describe('lists of a user', () => {
  test('this test sees the lists and their columns', () => {
    expect(ownQueries.length).toBeGreaterThan(15);
    const sorted = ownQueries.filter(({ query }) => 'order' in query.shape);
    expect(sorted.flatMap(({ query }) => listSortable(query)).length).toBeGreaterThan(25);
  });

  test.each(ownQueries.filter(({ query }) => 'order' in query.shape))(
    '$name sorts by what it shows',
    ({ name, query }) => {
      const shown = listShownFields(name);
      expect(shown.size).toBeGreaterThan(0);
      expect(listSortable(query).filter((column) => !shown.has(column))).toEqual([]);
    },
  );

  test.each(ownQueries)('$name filters by fields of its response', ({ name, query }) => {
    const shown = listShownFields(name);
    const filters = Object.keys(query.shape).filter((parameter) => !paging.has(parameter));
    const others = filters.filter((parameter) => {
      const field = renamed[`${rowsOf[name] ?? name}.${parameter}`] ?? parameter;
      return !shown.has(field) && noFilters[`${name}.${parameter}`] === undefined;
    });
    expect(others).toEqual([]);
  });

  test('every exemption names a parameter or a field', () => {
    const parameters = new Set(
      ownQueries.flatMap(({ name, query }) => Object.keys(query.shape).map((parameter) => `${name}.${parameter}`)),
    );
    expect(Object.keys({ ...renamed, ...noFilters }).filter((key) => !parameters.has(key))).toEqual([]);
    for (const [name, fields] of Object.entries(hidden)) {
      const answer = routes.get(name)?.answer;
      expect(answer === undefined ? [] : listFields(answer)).toEqual(expect.arrayContaining([...fields]));
    }
  });
});
