import type { User } from '@switchyard/contract/accounts/users';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { UsageBar } from '../../../ui/display/bars.tsx';
import { CopyableId } from '../../../ui/display/copyable-id.tsx';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useGroupOptions } from '../user-groups/queries.ts';

export function UserSummary({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const group = useGroupOptions().find(({ value }) => value === user.group);
  const text = (value: string) => (value === '' ? UNKNOWN : value);
  return (
    <DescriptionList
      facts={[
        [
          t('balance'),
          <UsageBar
            key="balance"
            used={user.used_quota}
            left={user.quota}
            label={t(user.quota < 0 ? 'debtOf' : 'balanceOf', {
              balance: format.points(Math.abs(user.quota)),
              used: format.points(user.used_quota),
            })}
          />,
        ],
        [t('requests'), format.number(user.request_count)],
        [t('group'), group === undefined ? user.group : `${isolateBidi(group.label)} ${group.detail}`],
        [t('displayName'), text(user.display_name)],
        [t('email'), text(user.email)],
        [t('lastLogin'), <LastLogin key="login" user={user} />],
        [t('created'), <Moment key="made" seconds={user.created_time} />],
        [t('id'), <CopyableId key="id" text={String(user.id)} what={t('id')} />],
      ]}
    />
  );
}

function LastLogin({ user: { last_login_time, last_login_ip } }: { user: User }) {
  const { t } = useTranslation('users');
  if (last_login_time === 0) return t('never');
  return (
    <>
      <Moment seconds={last_login_time} />
      {last_login_ip !== '' && (
        <>
          {' · '}
          <Mono>{last_login_ip}</Mono>
        </>
      )}
    </>
  );
}
