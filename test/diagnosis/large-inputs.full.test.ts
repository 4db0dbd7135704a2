import { diagnosesLargeInputs } from './large-inputs.ts';

diagnosesLargeInputs({ megabytes: 10, wrapMemory: 100_000_000 });
