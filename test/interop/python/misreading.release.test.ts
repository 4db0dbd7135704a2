import { fileURLToPath } from 'node:url';
import { describeMisreadings, describeSilentMisreadings, withApplication } from '../misreading.ts';

const script = fileURLToPath(new URL('applications/misreading.py', import.meta.url));
const call =
  /fix: .* Python: d = Cipher\(algorithms\.AES\(key\.encode\(\)\), modes\.CBC\(raw\[:16\]\)\)/;
describeMisreadings('Python', ['python3', script], call);
describeSilentMisreadings(
  'Python',
  (reading, visit) => withApplication(['python3', script, reading], visit),
  /modes\.CBC\(raw\[:16\]\)/,
);
