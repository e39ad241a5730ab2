/* Settings of a recording, checked before the program starts. */

#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

/* CLI_DONE, or CLI_USAGE and printed: a text that is not NAME=VALUE, or that neither the recorder
 * nor the monitors take. */
int cli_check_setting(const char *command, const char *text);

/* The same for variables of the environment: a METHODBEAT_ variable with a wrong value, or whose
 * name is nearly that of a setting. Others pass: they may be another program's. */
int cli_check_environment(const char *command);

#endif
