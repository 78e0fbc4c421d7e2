import type { Self } from '@switchyard/contract/accounts/profile';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Money } from '../../../ui/display/money.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useGroups } from '../user-groups/queries.ts';

export function AccountDetails({ self }: { self: Self }) {
  const { t } = useTranslation(['profile', 'shell']);
  const format = useFormat();
  const group = useGroups()?.[self.group];
  return (
    <DescriptionList
      facts={[
        [t('id'), self.id],
        [t('role'), t(`shell:role.${self.role}`)],
        [
          t('group'),
          group === undefined ? self.group : `${isolateBidi(group.name)} ×${format.number(group.ratio, 4)}`,
        ],
        [t('balance'), <Money key="balance" points={self.quota} />],
        [t('used'), <Money key="used" points={self.used_quota} />],
        [t('requests'), format.number(self.request_count)],
        [t('memberSince'), format.moment(self.created_time)],
      ]}
    />
  );
}
