import { describeExample } from '../../support/example-application.ts';

const folder = 'go';
const file = 'application.go';

// `go run` would leave its program behind when it is ended.
const command = ['sh', '-c', `go build -o app ${file} && exec ./app`] as const;

describeExample('The example in Go', { folder, file, command }, [
  {
    change: ['base64.StdEncoding.EncodeToString(wrapped)', 'hex.EncodeToString(wrapped)'],
    check: 'key-exchange/wraps-key',
    diagnosis: 'hex',
  },
]);
