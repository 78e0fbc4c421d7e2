import type { FactorKind, Words } from './template.ts';

const factor: Record<FactorKind, string> = { totp: 'an authenticator app', passkey: 'a passkey' };

export const enUs: Words = {
  footer: ({ name, address }) => `${name} (${address}) sent this email because of your account there.`,
  templates: {
    'verification-code': ({ code, minutes }, { name }) => ({
      subject: 'Your verification code',
      body: [
        `Enter this code at ${name} to confirm your email address:`,
        { code },
        `It is valid for ${minutes} minutes. We never ask for it by phone or chat.`,
        'If you did not request a code, ignore this email. Nothing happens without the code.',
      ],
    }),
    'already-registered': ({ signInLink, resetLink }, { name }) => ({
      subject: 'You already have an account',
      body: [
        `Someone requested a code to register at ${name} with this address. It already has an account, so no code was sent.`,
        { link: signInLink, label: 'Sign in' },
        'If you forgot the password, choose a new one:',
        { link: resetLink, label: 'Reset password' },
        'If this was not you, ignore this email. Your account has not changed.',
      ],
    }),
    'password-reset': ({ link, minutes }, { name }) => ({
      subject: 'Reset your password',
      body: [
        `Someone requested a password reset for your account at ${name}.`,
        { link, label: 'Choose a new password' },
        `The link works once, within ${minutes} minutes.`,
        'If this was not you, ignore this email. Your password has not changed. Do not share the link.',
      ],
    }),
    'password-changed': (_values, { name, address }) => ({
      subject: 'Your password was changed',
      body: [
        `The password of your account at ${name} was changed.`,
        'If this was not you, reset the password immediately on the sign-in page, and then end all other sessions in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'new-sign-in': ({ device, address: from, time }, { name, address, moment }) => ({
      subject: 'New sign-in to your account',
      body: [
        `Someone signed in to your account at ${name} from a new device.`,
        `Device: ${device}`,
        `Address: ${from}`,
        `Time: ${moment(time)}`,
        'If this was you, no action is needed. If not, change your password immediately and end the session in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    impersonated: ({ time, minutes }, { name, address, moment }) => ({
      subject: 'The operator signed in as you',
      body: [
        `The operator of ${name} signed in to your account to see what you see.`,
        `Time: ${moment(time)}, for at most ${minutes} minutes`,
        'The operator can view your account, but cannot change or spend anything. You can see and end the session in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'identity-bound': ({ provider }, { name, address }) => ({
      subject: `${provider} can now sign in to your account`,
      body: [
        `Your account at ${name} was connected to ${provider}, which can now be used to sign in.`,
        'If this was not you, change your password immediately and remove the connection in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'identity-unbound': ({ provider }, { name, address }) => ({
      subject: `${provider} was removed from your account`,
      body: [
        `${provider} can no longer sign in to your account at ${name}.`,
        'If this was not you, change your password immediately and check your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'factor-added': ({ kind }, { name, address }) => ({
      subject: 'Two-step sign-in: a second factor was added',
      body: [
        `Your account at ${name} now has ${factor[kind]} for signing in.`,
        'If this was not you, change your password immediately and remove it in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'factor-removed': ({ kind }, { name, address }) => ({
      subject: 'Two-step sign-in: a second factor was removed',
      body: [
        `Your account at ${name} no longer accepts ${factor[kind]} for signing in.`,
        'If this was not you, change your password immediately and set it up again in your profile:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'email-changed': (_values, { name, address }) => ({
      subject: 'The email address of your account was changed',
      body: [
        `Your account at ${name} has a new email address. Future email will be sent there.`,
        'If this was not you, sign in and change your password and the address immediately. If you cannot, ask the operator for help:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'account-deleted': (_values, { name, address }) => ({
      subject: 'Your account was deleted',
      body: [
        `Your account at ${name} was deleted. Its tokens no longer work.`,
        'If this was not you, ask the operator for help:',
        { link: address, label: `Go to ${name}` },
      ],
    }),
    alert: ({ title, text, link }, { name }) => ({
      subject: title,
      body: [text, ...(link === '' ? [] : [{ link, label: `Go to ${name}` }])],
    }),
    'group-reached': ({ group }, { name, address }) => ({
      subject: 'You are in a new group',
      body: [
        `Thank you for topping up: your account at ${name} is now in the group ${group}. Its prices and limits apply from now on.`,
        { link: address, label: `Go to ${name}` },
      ],
    }),
    'smtp-test': (_values, { name }) => ({
      subject: 'Test email',
      body: [
        `This is a test email from ${name}. The email settings work.`,
        'If you did not expect it, ignore it.',
      ],
    }),
  },
};
