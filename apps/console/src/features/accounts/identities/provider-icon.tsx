import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import { IconBrandGithub, IconBrandWechat, IconFeather, IconIdBadge2 } from '@tabler/icons-react';

/** Lark and issuers of OpenID Connect have no mark of their own here. */
const icons = { github: IconBrandGithub, wechat: IconBrandWechat, lark: IconFeather, oidc: IconIdBadge2 };

export function ProviderIcon({ provider }: { provider: IdentityProvider }) {
  const Icon = icons[provider];
  return <Icon size={20} stroke={1.5} aria-hidden />;
}
