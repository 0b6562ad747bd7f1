import { oneServer } from './suite/environment.ts'
import { management } from './suite/management.ts'

management(await oneServer())
