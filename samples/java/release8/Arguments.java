package sample;

/** Varargs and arguments of two slots; more locals than one byte can index. */
public class Arguments {
    static String join(Object... parts) {
        StringBuilder text = new StringBuilder();
        for (Object part : parts) {
            text.append(part).append(',');
        }
        return text.toString();
    }

    static double mixed(byte a, long b, short c, double d, char e, float f, boolean g) {
        return Math.max(a + b + c, d) + e + f + (g ? 1 : 0);
    }

    static long wide(long start) {
        long[] array = {start};
        long v0 = array[0] + 0;
        long v1 = array[0] + 1;
        long v2 = array[0] + 2;
        long v3 = array[0] + 3;
        long v4 = array[0] + 4;
        long v5 = array[0] + 5;
        long v6 = array[0] + 6;
        long v7 = array[0] + 7;
        long v8 = array[0] + 8;
        long v9 = array[0] + 9;
        long v10 = array[0] + 10;
        long v11 = array[0] + 11;
        long v12 = array[0] + 12;
        long v13 = array[0] + 13;
        long v14 = array[0] + 14;
        long v15 = array[0] + 15;
        long v16 = array[0] + 16;
        long v17 = array[0] + 17;
        long v18 = array[0] + 18;
        long v19 = array[0] + 19;
        long v20 = array[0] + 20;
        long v21 = array[0] + 21;
        long v22 = array[0] + 22;
        long v23 = array[0] + 23;
        long v24 = array[0] + 24;
        long v25 = array[0] + 25;
        long v26 = array[0] + 26;
        long v27 = array[0] + 27;
        long v28 = array[0] + 28;
        long v29 = array[0] + 29;
        long v30 = array[0] + 30;
        long v31 = array[0] + 31;
        long v32 = array[0] + 32;
        long v33 = array[0] + 33;
        long v34 = array[0] + 34;
        long v35 = array[0] + 35;
        long v36 = array[0] + 36;
        long v37 = array[0] + 37;
        long v38 = array[0] + 38;
        long v39 = array[0] + 39;
        long v40 = array[0] + 40;
        long v41 = array[0] + 41;
        long v42 = array[0] + 42;
        long v43 = array[0] + 43;
        long v44 = array[0] + 44;
        long v45 = array[0] + 45;
        long v46 = array[0] + 46;
        long v47 = array[0] + 47;
        long v48 = array[0] + 48;
        long v49 = array[0] + 49;
        long v50 = array[0] + 50;
        long v51 = array[0] + 51;
        long v52 = array[0] + 52;
        long v53 = array[0] + 53;
        long v54 = array[0] + 54;
        long v55 = array[0] + 55;
        long v56 = array[0] + 56;
        long v57 = array[0] + 57;
        long v58 = array[0] + 58;
        long v59 = array[0] + 59;
        long v60 = array[0] + 60;
        long v61 = array[0] + 61;
        long v62 = array[0] + 62;
        long v63 = array[0] + 63;
        long v64 = array[0] + 64;
        long v65 = array[0] + 65;
        long v66 = array[0] + 66;
        long v67 = array[0] + 67;
        long v68 = array[0] + 68;
        long v69 = array[0] + 69;
        long v70 = array[0] + 70;
        long v71 = array[0] + 71;
        long v72 = array[0] + 72;
        long v73 = array[0] + 73;
        long v74 = array[0] + 74;
        long v75 = array[0] + 75;
        long v76 = array[0] + 76;
        long v77 = array[0] + 77;
        long v78 = array[0] + 78;
        long v79 = array[0] + 79;
        long v80 = array[0] + 80;
        long v81 = array[0] + 81;
        long v82 = array[0] + 82;
        long v83 = array[0] + 83;
        long v84 = array[0] + 84;
        long v85 = array[0] + 85;
        long v86 = array[0] + 86;
        long v87 = array[0] + 87;
        long v88 = array[0] + 88;
        long v89 = array[0] + 89;
        long v90 = array[0] + 90;
        long v91 = array[0] + 91;
        long v92 = array[0] + 92;
        long v93 = array[0] + 93;
        long v94 = array[0] + 94;
        long v95 = array[0] + 95;
        long v96 = array[0] + 96;
        long v97 = array[0] + 97;
        long v98 = array[0] + 98;
        long v99 = array[0] + 99;
        long v100 = array[0] + 100;
        long v101 = array[0] + 101;
        long v102 = array[0] + 102;
        long v103 = array[0] + 103;
        long v104 = array[0] + 104;
        long v105 = array[0] + 105;
        long v106 = array[0] + 106;
        long v107 = array[0] + 107;
        long v108 = array[0] + 108;
        long v109 = array[0] + 109;
        long v110 = array[0] + 110;
        long v111 = array[0] + 111;
        long v112 = array[0] + 112;
        long v113 = array[0] + 113;
        long v114 = array[0] + 114;
        long v115 = array[0] + 115;
        long v116 = array[0] + 116;
        long v117 = array[0] + 117;
        long v118 = array[0] + 118;
        long v119 = array[0] + 119;
        long v120 = array[0] + 120;
        long v121 = array[0] + 121;
        long v122 = array[0] + 122;
        long v123 = array[0] + 123;
        long v124 = array[0] + 124;
        long v125 = array[0] + 125;
        long v126 = array[0] + 126;
        long v127 = array[0] + 127;
        long v128 = array[0] + 128;
        long v129 = array[0] + 129;
        long v130 = array[0] + 130;
        long v131 = array[0] + 131;
        long v132 = array[0] + 132;
        long v133 = array[0] + 133;
        long v134 = array[0] + 134;
        long v135 = array[0] + 135;
        long v136 = array[0] + 136;
        long v137 = array[0] + 137;
        long v138 = array[0] + 138;
        long v139 = array[0] + 139;
        int counter = 0;
        for (counter = 0; counter < 2000; counter += 1000) {
            v139 += Math.abs(counter);
        }
        counter += 300;
        return v0 + v70 + v139 + counter;
    }

    static int[][][] arrays(int a, int b) {
        return new int[Math.abs(a)][Math.abs(b)][];
    }

    public static void main(String[] arguments) {
        System.out.println(join() + join(1) + join("a", 2L, 'c', null));
        System.out.println(mixed((byte) -1, 1L << 40, (short) 3, 1e10, 'x', 0.5f, true));
        System.out.println(wide(5));
        System.out.println(arrays(-2, 3)[1].length);
    }
}
