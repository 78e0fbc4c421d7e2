import { type ModelDetail, modelDetail } from '@switchyard/contract/catalog/model-details';
import {
  DESCRIPTION_MAX,
  DISPLAY_NAME_MAX,
  type ManualMetadata,
  manualMetadata,
} from '@switchyard/contract/catalog/models';
import { z } from 'zod';

const { context_length, output_max, input, output, capabilities, tags, released, successor } = manualMetadata.shape;
const date = z.union([z.literal(''), released.unwrap()]);

/** Form schema; an empty field uses the lists' value. */
export const detailForm = z.object({
  model: modelDetail.shape.model,
  name: z.string().trim().max(DISPLAY_NAME_MAX),
  description: z.string().trim().max(DESCRIPTION_MAX),
  context_length: context_length.unwrap().nullable(),
  output_max: output_max.unwrap().nullable(),
  input: input.unwrap(),
  output: output.unwrap(),
  capabilities: capabilities.unwrap(),
  tags: tags.unwrap(),
  released: date,
  retires: date,
  deprecated: z.enum(['listed', 'yes', 'no']),
  successor: successor.unwrap(),
});
export type DetailValues = z.output<typeof detailForm>;

export function formValues(model: string, own: ManualMetadata | null): DetailValues {
  return {
    model,
    name: own?.name ?? '',
    description: own?.description ?? '',
    context_length: own?.context_length ?? null,
    output_max: own?.output_max ?? null,
    input: own?.input ?? [],
    output: own?.output ?? [],
    capabilities: own?.capabilities ?? [],
    tags: own?.tags ?? [],
    released: own?.released ?? '',
    retires: own?.retires ?? '',
    deprecated: own?.deprecated === undefined ? 'listed' : own.deprecated ? 'yes' : 'no',
    successor: own?.successor ?? '',
  };
}

/** Returns the metadata without empty fields. */
export function detailOf({ deprecated, ...values }: DetailValues): ModelDetail {
  const said = Object.entries(values).filter(
    ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return modelDetail.parse({
    ...Object.fromEntries(said),
    ...(deprecated === 'listed' ? {} : { deprecated: deprecated === 'yes' }),
  });
}
