import { z } from 'zod';
import { ratio } from '../catalog/price-rates.ts';
import { userGroupId } from '../ids.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';

const apiRate = z.int().min(0).max(1_000_000);
const tokensPerMinute = z.int().min(0).max(1_000_000_000);

/** Selection among channels of one priority: by weight, latency or cost. */
export const routeOrder = z.enum(['weight', 'latency', 'cost']);
export type RouteOrder = z.output<typeof routeOrder>;

export const userGroup = z.object({
  id: userGroupId.meta({ readOnly: true }),
  /** Unique English identifier; cannot change. */
  symbol: z.string(),
  name: z.string(),
  /** Multiplies every price for members. */
  ratio: z.number(),
  /** Requests per minute for each member; 0 means no limit. */
  api_rate: z.int(),
  /** Language-model tokens per minute for each member; 0 means no limit. */
  tpm: z.int(),
  /** Allows every user to choose the group for a token. */
  public: z.boolean(),
  enable: z.boolean(),
  order: routeOrder,
  /** Promotes users to this group by their total top-ups. */
  promotion: z.boolean(),
  /** Minimum total top-ups in USD for promotion. */
  min: z.int(),
  /** Maximum total top-ups in USD for promotion; 0: no maximum. */
  max: z.int(),
});
export type UserGroup = z.output<typeof userGroup>;

/** Group as administrators see it: with the numbers of members, tokens and channels that depend on it. */
export const groupWithUsage = userGroup.extend({
  members: z.int().meta({ readOnly: true }),
  tokens: z.int().meta({ readOnly: true }),
  channels: z.int().meta({ readOnly: true }),
});
export type GroupWithUsage = z.output<typeof groupWithUsage>;

const totalUsd = z.int().min(0).max(1_000_000_000);
const groupName = z.string().trim().min(1).max(50);

export const createUserGroup = z.object({
  symbol: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/i),
  name: groupName,
  ratio: ratio.default(1),
  api_rate: apiRate.default(600),
  tpm: tokensPerMinute.default(0),
  public: z.boolean().default(false),
  order: routeOrder.default('weight'),
  promotion: z.boolean().default(false),
  min: totalUsd.default(0),
  max: totalUsd.default(0),
});

/** Changes only the fields that are sent. */
export const updateUserGroup = z.object({
  id: userGroupId,
  /**
   * Symbol for clients that send the whole group back. It must be the group's own; so must `enable`, which `toggle`
   * changes.
   */
  symbol: createUserGroup.shape.symbol.optional(),
  enable: z.boolean().optional(),
  name: groupName.optional(),
  ratio: ratio.optional(),
  api_rate: apiRate.optional(),
  tpm: tokensPerMinute.optional(),
  public: z.boolean().optional(),
  order: routeOrder.optional(),
  promotion: z.boolean().optional(),
  min: totalUsd.optional(),
  max: totalUsd.optional(),
});

const byId = z.object({ id: userGroupId });

export const userGroups = routes({
  list: {
    method: 'GET',
    path: '/api/user_group/',
    access: 'groups.read',
    summary: 'List the user groups',
    query: listQuery(['id', 'symbol', 'name', 'ratio', 'api_rate', 'enable'], {
      name: z.string().max(50).optional(),
      enable: z.stringbool().optional(),
      /** Only groups with higher ids, for reading a list in their order while it changes. */
      after_id: userGroupId.optional(),
    }),
    answer: paged(groupWithUsage),
  },
  get: {
    method: 'GET',
    path: '/api/user_group/:id',
    access: 'groups.read',
    summary: 'Retrieve a group',
    params: byId,
    answer: groupWithUsage,
  },
  create: {
    method: 'POST',
    path: '/api/user_group/',
    access: 'groups.write',
    summary: 'Create a group',
    body: createUserGroup,
    answer: userGroup,
  },
  update: {
    method: 'PUT',
    path: '/api/user_group/',
    access: 'groups.write',
    summary: 'Update the fields that are sent',
    body: updateUserGroup,
    view: groupWithUsage,
    answer: userGroup,
  },
  updateById: {
    method: 'PUT',
    path: '/api/user_group/:id',
    access: 'groups.write',
    summary: 'Update the fields that are sent, of the group in the path',
    params: byId,
    body: updateUserGroup.omit({ id: true }),
    view: groupWithUsage,
    answer: userGroup,
  },
  toggle: {
    method: 'PUT',
    path: '/api/user_group/enable/:id',
    access: 'groups.write',
    summary: 'Enable or disable a group; `default` cannot be disabled',
    params: byId,
    answer: userGroup,
  },
  remove: {
    method: 'DELETE',
    path: '/api/user_group/:id',
    access: 'groups.write',
    summary: 'Delete an unused group',
    params: byId,
    answer: emptyData,
  },
  symbols: {
    method: 'GET',
    path: '/api/group/',
    access: 'groups.read',
    summary: 'List the symbols of the enabled groups',
    answer: z.array(z.string()),
  },
  map: {
    method: 'GET',
    path: '/api/user_group_map',
    access: 'anyone',
    summary: "List the enabled public groups and the caller's own group, by symbol",
    answer: z.record(z.string(), userGroup),
  },
});
