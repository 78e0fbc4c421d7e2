/** Owners of models: built-in vendors, and owners that the operator adds. A price refers to an owner by its id. */
import { z } from 'zod';
import { emptyData, routes } from '../route.ts';

/** Highest id reserved for built-in vendors, some of which have higher ids. */
const RESERVED_ID_MAX = 1_000;
export const OWNERS_MAX = 200;
/** Maximum size of an owner's image, in bytes. */
export const ICON_MAX_BYTES = 16 * 1024;

const PREFIX_MAX = 'data:image/svg+xml;base64,'.length;
const ICON_MAX = PREFIX_MAX + Math.ceil(ICON_MAX_BYTES / 3) * 4;

/** After the type comes the base64 form of the first bytes of a PNG or WebP. */
const icon = z
  .string()
  .max(ICON_MAX)
  .regex(
    /^(?:|[a-z0-9]{1,40}|data:image\/(?:png;base64,iVBORw0KGgo|webp;base64,UklGR|svg\+xml;base64,)[A-Za-z0-9+/]+={0,2})$/,
    'An icon must be the name of a built-in icon, or a PNG, WebP or SVG as a data URL',
  );

const ownerFields = z.object({
  name: z.string().trim().min(1).max(60),
  /** Name of a built-in icon, a small image as a `data:` URL, or empty. */
  icon: icon.default(''),
});

export const newOwner = ownerFields.extend({
  id: z
    .int()
    .min(RESERVED_ID_MAX + 1)
    .max(1_000_000_000),
});
export type NewOwner = z.output<typeof newOwner>;

const modelOwner = z.object({
  /** Number that prices call `channel_type`. */
  id: z.int(),
  name: z.string(),
  icon: z.string(),
  /** True for an owner that comes with the product and cannot be changed. */
  built_in: z.boolean(),
  prices: z.int(),
});
export type ModelOwner = z.output<typeof modelOwner>;

const byId = z.object({ id: z.coerce.number().int().min(1) });

export const modelOwners = routes({
  list: {
    method: 'GET',
    path: '/api/model_ownedby',
    access: 'anyone',
    summary: 'List the model owners, by ID',
    answer: z.array(modelOwner),
  },
  create: {
    method: 'POST',
    path: '/api/model_ownedby',
    access: 'prices.write',
    summary: 'Create a model owner',
    body: newOwner,
    answer: modelOwner,
  },
  update: {
    method: 'PUT',
    path: '/api/model_ownedby/:id',
    access: 'prices.write',
    summary: 'Update the name and icon of a model owner that was added',
    params: byId,
    body: ownerFields.extend({ icon: icon.optional() }),
    answer: modelOwner,
  },
  remove: {
    method: 'DELETE',
    path: '/api/model_ownedby/:id',
    access: 'prices.write',
    summary: 'Delete a model owner that was added; prices that refer to it are kept',
    params: byId,
    answer: emptyData,
  },
});
