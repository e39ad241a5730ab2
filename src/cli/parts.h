/* Files of this installation that other programs load. */

#ifndef CLI_PARTS_H
#define CLI_PARTS_H

/* Below the folder that this program is installed to, or where an option says. */
struct cli_part {
    const char *name;
    const char *folder;
    const char *build;  /* where a build folder has it, beside this program's */
    const char *option; /* without dashes */
};

/* Its path, absolute, for free(): given, or the installation's. NULL, and reported, if absent. */
char *cli_find_part(const struct cli_part *part, const char *given);

/* The same of the agent, which must have this command's version. */
char *cli_find_agent(const char *given);

#endif
