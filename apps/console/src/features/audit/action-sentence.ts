import { useTranslation } from 'react-i18next';

const known = [
  'access-token.create',
  'access-token.delete',
  'access-token.replace',
  'api-key.ratio',
  'api-key.reveal',
  'api-key.rotate',
  'channel.auto-disable',
  'channel.auto-enable',
  'channel.balance',
  'channel.create',
  'channel.delete',
  'channel.delete-disabled',
  'channel.resume',
  'channel.test',
  'channel.update',
  'cli.reset-root-password',
  'cli.rotate-master-key',
  'identity.bind',
  'identity.unbind',
  'mail.test',
  'price.create',
  'price.delete',
  'price.sync',
  'price.update',
  'profile.access-token',
  'profile.end-session',
  'profile.password',
  'profile.update',
  'secret.rotate',
  'session.end',
  'session.refused',
  'session.start',
  'set-up.root',
  'setting.update',
  'staff-role.create',
  'staff-role.delete',
  'staff-role.update',
  'usage-record.delete',
  'user-group.create',
  'user-group.delete',
  'user-group.disable',
  'user-group.enable',
  'user-group.update',
  'user.acknowledge-alarms',
  'user.create',
  'user.delete',
  'user.demote',
  'user.disable',
  'user.enable',
  'user.promote',
  'user.quota',
  'user.register',
  'user.set_reliable',
  'user.update',
] as const;

/** An action in words; one that is newer than this console keeps its own name. */
export function useActionSentence(): (action: string) => string {
  const { t } = useTranslation('audit');
  return (action) => {
    const name = known.find((candidate) => candidate === action);
    return name === undefined ? action : t(`action.${name}`);
  };
}
