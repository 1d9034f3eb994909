// SPDX-License-Identifier: Apache-2.0
// The executable: everything is in the library, where tests can call it.

import RescueCLI

EntryPoint.main()
