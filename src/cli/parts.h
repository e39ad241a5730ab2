/* Files of this installation that other programs load. */

#ifndef CLI_PARTS_H
#define CLI_PARTS_H

/* The path of the agent, absolute, for free(): given, or that of the installation this program is
 * part of. NULL, and reported, if it is absent or of another version than this command. */
char *cli_find_agent(const char *given);

#endif
