import type { SettingName, Settings } from '@switchyard/contract/operations/settings';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { callbackPaths } from './setting-controls.ts';

interface ClientIdInputProps {
  control: Control<Settings>;
  name: SettingName;
  label: string;
  help: string;
}

/** Edits a provider's client id and shows the redirect URI, based on the server address in the form. */
export function ClientIdInput(props: ClientIdInputProps) {
  const { t } = useTranslation('settings');
  const server = useWatch({ control: props.control, name: 'serverAddress' });
  const base = (server || window.location.origin).replace(/\/+$/, '');
  return <TextInput {...props} mono hint={t('callback', { address: `${base}/oauth/${callbackPaths[props.name]}` })} />;
}
