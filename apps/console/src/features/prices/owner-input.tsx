import { useQuery } from '@tanstack/react-query';
import type { FieldValues } from 'react-hook-form';
import { ProviderPicker } from '../../ui/form/provider-picker.tsx';
import type { FieldProps } from '../../ui/form/text-input.tsx';
import { providersQuery } from '../channels/queries.ts';

/** Whose model it is; the form holds the provider's integer, 0 for nobody we know. */
export function OwnerInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const providers = useQuery(providersQuery).data ?? [];
  return <ProviderPicker {...props} providers={providers} />;
}
