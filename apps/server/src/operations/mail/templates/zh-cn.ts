import type { FactorKind, Words } from './template.ts';

const factor: Record<FactorKind, string> = { totp: '身份验证器应用', passkey: '通行密钥' };

export const zhCn: Words = {
  footer: ({ name, address }) => `您收到此邮件，是因为它与您在 ${name}（${address}）的账户有关。`,
  templates: {
    'verification-code': ({ code, minutes }, { name }) => ({
      subject: '您的验证码',
      body: [
        `请在 ${name} 输入以下验证码，以确认您的邮箱地址：`,
        { code },
        `验证码 ${minutes} 分钟内有效。我们绝不会通过电话或聊天向您索要。`,
        '如果不是您本人操作，请忽略此邮件；没有验证码，什么都不会发生。',
      ],
    }),
    'already-registered': ({ signInLink, resetLink }, { name }) => ({
      subject: '您已经有账户了',
      body: [
        `有人想用此邮箱在 ${name} 注册并获取验证码。此邮箱已有账户，因此没有发送验证码。`,
        { link: signInLink, label: '登录' },
        '如果忘记了密码，可以重新设置：',
        { link: resetLink, label: '重置密码' },
        '如果不是您本人操作，请忽略此邮件；您的账户没有任何变化。',
      ],
    }),
    'password-reset': ({ link, minutes }, { name }) => ({
      subject: '重置您的密码',
      body: [
        `有人申请重置您在 ${name} 的账户密码。`,
        { link, label: '设置新密码' },
        `链接 ${minutes} 分钟内有效，只能使用一次。`,
        '如果不是您本人操作，请忽略此邮件，密码不会改变。请勿将链接转发给任何人。',
      ],
    }),
    'password-changed': (_values, { name, address }) => ({
      subject: '您的密码已更改',
      body: [
        `您在 ${name} 的账户密码已更改。`,
        '如果不是您本人操作，请立即在登录页重置密码，然后在个人设置中结束其他所有会话：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'new-sign-in': ({ device, address: from, time }, { name, address, moment }) => ({
      subject: '您的账户有新的登录',
      body: [
        `有人从一台我们没有见过的设备登录了您在 ${name} 的账户。`,
        `设备：${device}`,
        `IP 地址：${from}`,
        `时间：${moment(time)}`,
        '如果是您本人，无需任何操作。如果不是，请立即更改密码，并在个人设置中结束该会话：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    impersonated: ({ time, minutes }, { name, address, moment }) => ({
      subject: '站点管理员以您的身份登录了',
      body: [
        `${name} 的站点管理员登录了您的账户，以便看到您所看到的内容。`,
        `时间：${moment(time)}，最长 ${minutes} 分钟`,
        '管理员只能查看，不能更改任何内容，也不能消费余额。您可以在个人资料中看到这个会话，并将其结束：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'identity-bound': ({ provider }, { name, address }) => ({
      subject: `您的账户已绑定 ${provider}`,
      body: [
        `您在 ${name} 的账户已绑定 ${provider}，今后可以用它登录。`,
        '如果不是您本人操作，请立即更改密码，并在个人设置中解除绑定：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'identity-unbound': ({ provider }, { name, address }) => ({
      subject: `您的账户已解除绑定 ${provider}`,
      body: [
        `您在 ${name} 的账户已不能再用 ${provider} 登录。`,
        '如果不是您本人操作，请立即更改密码，并检查您的个人设置：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'factor-added': ({ kind }, { name, address }) => ({
      subject: `您的账户已添加${factor[kind]}`,
      body: [
        `您在 ${name} 的账户已添加${factor[kind]}，用于登录验证。`,
        '如果不是您本人操作，请立即更改密码，并在个人设置中将其移除：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'factor-removed': ({ kind }, { name, address }) => ({
      subject: `您的账户已移除${factor[kind]}`,
      body: [
        `您在 ${name} 的账户已移除${factor[kind]}，登录时不再使用。`,
        '如果不是您本人操作，请立即更改密码，并在个人设置中重新添加：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'email-changed': (_values, { name, address }) => ({
      subject: '您账户的邮箱已更改',
      body: [
        `您在 ${name} 的账户已改用另一个邮箱，今后的邮件将发往新邮箱。`,
        '如果不是您本人操作，请立即登录，更改密码并改回邮箱；如果无法登录，请联系站点管理员：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'account-deleted': (_values, { name, address }) => ({
      subject: '您的账户已删除',
      body: [
        `您在 ${name} 的账户已删除，其令牌已失效。`,
        '如果不是您本人操作，请联系站点管理员：',
        { link: address, label: `前往 ${name}` },
      ],
    }),
    alert: ({ title, text, link }, { name }) => ({
      subject: title,
      body: [text, ...(link === '' ? [] : [{ link, label: `前往 ${name}` }])],
    }),
    'group-reached': ({ group }, { name, address }) => ({
      subject: '您已进入新的分组',
      body: [
        `感谢充值：您在 ${name} 的账户现在属于“${group}”分组，其价格和限额即刻生效。`,
        { link: address, label: `前往 ${name}` },
      ],
    }),
    'smtp-test': (_values, { name }) => ({
      subject: '测试邮件',
      body: [`这是 ${name} 发出的测试邮件，邮件设置工作正常。`, '如果您不知道为何收到此邮件，请忽略。'],
    }),
  },
};
