import { Socket } from 'node:net';

export { AlipaySdk } from 'alipay-sdk';

// The SDK's HTTP client adds this for the whole process; it throws when one error ends two sockets, which it may.
Reflect.deleteProperty(Socket.prototype, 'destroy');
