import type { FieldValues } from 'react-hook-form';
import { ProviderPicker } from '../../../../ui/inputs/provider-picker.tsx';
import type { FieldProps } from '../../../../ui/inputs/text-input.tsx';
import { useOwners } from '../../model-owners/queries.ts';

/** Whose model it is; the form holds the owner's integer, 0 for nobody we know. */
export function OwnerInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const owners = useOwners().map(({ id, name, icon }) => ({ type: id, id: icon, label: name }));
  return <ProviderPicker {...props} providers={owners} />;
}
