import type { FieldValues } from 'react-hook-form';
import { ProviderPicker } from '../../../../ui/inputs/provider-picker.tsx';
import type { FieldProps } from '../../../../ui/inputs/text-input.tsx';
import { useOwners } from '../../model-owners/queries.ts';

/** Chooses the model's owner; the form holds the owner's integer, 0 for an unknown owner. */
export function OwnerInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const owners = useOwners().map(({ id, name, icon }) => ({ type: id, id: icon, label: name }));
  return <ProviderPicker {...props} providers={owners} />;
}
